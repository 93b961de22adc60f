export declare const SUITES: Readonly<Record<string, object>>;

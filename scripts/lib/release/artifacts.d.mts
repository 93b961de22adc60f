/** See artifacts.mjs. */
export function packServer(folder: string): Promise<void>;
export function packClients(folder: string): void;
export function writeChecksums(folder: string): string[];

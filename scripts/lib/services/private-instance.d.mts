/** See private-instance.mjs. */
export class PrivateInstance {
  static mariadb(more?: readonly string[]): Promise<PrivateInstance>;
  static redis(more?: readonly string[]): Promise<PrivateInstance>;

  readonly url: string;
  /** Of the command line, for the next start. */
  readonly args: string[];
  readonly folder: string;
  readonly pid: number;

  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null | undefined>;
  remove(): Promise<void>;
}

import { AdminClient } from '../admin-client.js';
import { FidoClient } from '../fido-client.js';
import { DELETION, UPLOAD, postList } from '../list-upload.js';

/** Leavers of one list. */
const LIST_LENGTH = 3;

/** A user whose registration was acknowledged, and other acknowledged changes. */
export interface UserUnderFire {
  readonly username: string;
  readonly client: FidoClient;
  known: 'registered' | 'disabled' | 'deleted';
  signIns: number;
  signCount: number;
  /** Asked for, and perhaps never answered. */
  asked?: 'disabled' | 'deleted';
}

/** The answers that clients got before the server died. */
export class Journal {
  readonly users: UserUnderFire[] = [];
  readonly statements = new Set<string>();
  /** Changes that were acknowledged. */
  acknowledged = 0;
}

/**
 * Clients that register, sign in, disable, delete, delete by list and issue invoices, one after another, until the
 * server is gone. The journal contains the answers.
 */
export class UsersUnderFire {
  private readonly admin: AdminClient;
  private readonly leavers: UserUnderFire[] = [];

  constructor(
    private readonly url: string,
    private readonly name: string,
    private readonly journal: Journal,
  ) {
    this.admin = new AdminClient(url, 'localhost');
  }

  /** Ends when a request fails or is refused: the server is gone, or going. */
  async live(): Promise<void> {
    try {
      for (let n = 0; await this.oneLife(n); n += 1);
    } catch {
      return;
    }
  }

  private async oneLife(n: number): Promise<boolean> {
    const username = `${this.name}-${n}`;
    const client = new FidoClient(this.url, { origin: 'http://localhost' });
    if ((await client.register(username)).status !== 200) return false;
    const user: UserUnderFire = {
      username,
      client,
      known: 'registered',
      signIns: 0,
      signCount: 0,
    };
    this.journal.users.push(user);
    this.journal.acknowledged += 1;
    if (!(await this.signIn(user))) return false;
    switch (n % 5) {
      case 1:
        return this.ask('disabled', [user], () => this.manage('disableall', username));
      case 2:
        return this.ask('deleted', [user], () => this.manage('deluser', username));
      case 3:
        return this.leave(user);
      case 4:
        return this.invoice();
      default:
        return true;
    }
  }

  private async signIn(user: UserUnderFire): Promise<boolean> {
    const { status, body } = await user.client.signIn(user.username);
    if (status !== 200) return false;
    user.signIns += 1;
    user.signCount = Number(body['signCount']);
    this.journal.acknowledged += 1;
    return true;
  }

  private async manage(type: string, filter: string): Promise<boolean> {
    return (await this.admin.managePost({ type, filter })).status === 200;
  }

  /** Deletes every few users together, by a list. */
  private async leave(user: UserUnderFire): Promise<boolean> {
    this.leavers.push(user);
    if (this.leavers.length < LIST_LENGTH) return true;
    const leavers = this.leavers.splice(0);
    const list = leavers.map(({ username }) => username).join('\n');
    const { body } = await postList(this.admin, UPLOAD, list);
    const uploadId = body['uploadId'];
    return this.ask('deleted', leavers, async () => {
      const { body: done } = await this.admin.post(DELETION, { uploadId });
      return done['deleted'] === leavers.length;
    });
  }

  private async ask(
    wish: 'disabled' | 'deleted',
    users: readonly UserUnderFire[],
    request: () => Promise<boolean>,
  ): Promise<boolean> {
    for (const user of users) user.asked = wish;
    if (!(await request())) return false;
    for (const user of users) user.known = wish;
    this.journal.acknowledged += 1;
    return true;
  }

  /** The invoice of today, whose figures grow, so that few invoices are the same. */
  private async invoice(): Promise<boolean> {
    const { status, body } = await this.admin.post('/userapi/invoice', { invoicelog: 'yes' });
    if (status !== 200) return false;
    const stored = body['stored'] as { number: string }[];
    for (const { number } of stored) this.journal.statements.add(number);
    this.journal.acknowledged += 1;
    return true;
  }
}

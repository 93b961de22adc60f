import { Client, adminClient, type Answer } from './client.js';
import { eventually } from './eventually.js';

export interface ListedCredential {
  readonly credentialId: string;
  readonly deviceName: string;
  readonly enabled: boolean;
}
export interface ListedUser {
  readonly username: string;
  readonly relyingParty: string;
  readonly credentials: readonly ListedCredential[];
}

/** The administration of one relying party, for programs. */
export class AdminClient extends Client {
  constructor(url: string, relyingParty?: string, headers?: Record<string, string>) {
    super(url, {
      ...(headers ?? adminClient(url).headers),
      ...(relyingParty === undefined ? {} : { 'x-servicefido-relyingparty': relyingParty }),
    });
  }

  manage(parameters: Record<string, string>, headers: Record<string, string> = {}) {
    return this.get(`/userapi/manageusers?${new URLSearchParams(parameters).toString()}`, headers);
  }

  /** Requests a page until its users are counted: on a busy machine that takes longer than an answer waits. */
  counted(parameters: Record<string, string>): Promise<Answer> {
    return eventually(async () => {
      const answer = await this.manage(parameters);
      if (answer.body['totalExact'] === false) throw new Error('The users are not counted yet.');
      return answer;
    });
  }

  managePost(parameters: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/userapi/manageusers', parameters, headers);
  }

  /** All pages of a list. */
  async list(filter?: string, more: Record<string, string> = {}): Promise<ListedUser[]> {
    const users: ListedUser[] = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await this.manage({
        ...(filter === undefined ? {} : { filter }),
        ...(cursor === null ? {} : { cursor }),
        ...more,
      });
      if (status !== 200) throw new Error(`list: ${status} ${JSON.stringify(body)}`);
      users.push(...(body['users'] as ListedUser[]));
      cursor = body['next'] as string | null;
    } while (cursor !== null);
    return users;
  }

  async names(filter?: string, more?: Record<string, string>): Promise<string[]> {
    return (await this.list(filter, more)).map(({ username }) => username);
  }
}

import { ApiError } from '../../errors/api-error.js';
import type { Reason } from '../../errors/reasons.js';
import type { Account } from '../accounts/account.js';

const RETRY_SECONDS = 5;

/** Counts the work in progress of each account and application key in this process, and refuses more than a few. */
export class ConcurrencyLimit {
  private readonly counts = new Map<string, number>();

  /** @param reason of the refusal; its sentence has the value `most` */
  constructor(
    private readonly most: number,
    private readonly reason: Extract<Reason, 'lists.tooManyReaders' | 'lists.tooManyUploads'>,
  ) {}

  /**
   * @returns a function that ends the work that begins now; it must be called once
   * @throws ApiError E0040R if the account has too much work in progress
   */
  begin({ name, key }: Account): () => void {
    const whose = key?.id ?? name;
    const count = this.counts.get(whose) ?? 0;
    if (count >= this.most) {
      const headers = { 'Retry-After': `${RETRY_SECONDS}` };
      throw new ApiError('E0040R', this.reason, { most: this.most }, { headers });
    }
    this.counts.set(whose, count + 1);
    return () => this.end(whose);
  }

  private end(whose: string): void {
    const left = (this.counts.get(whose) ?? 1) - 1;
    if (left > 0) this.counts.set(whose, left);
    else this.counts.delete(whose);
  }
}

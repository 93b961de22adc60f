/** The body of a refusal. */
export interface Refusal {
  status: 'failed' | false;
  errorCode?: string;
  errorMessage: string;
  /** Why, more exactly than the code says: a key of the server's docs/errors.md, such as `origin.notAllowed`. */
  reason?: string;
  requestId?: string;
  /** The relying parties that the key may name (E0025R). */
  domains?: string[];
}

/** The server refused a call, or did not answer it (`status` 0). */
export class ServiceFidoError extends Error {
  override readonly name = 'ServiceFidoError';

  /**
   * @param status the HTTP status, 0 where there was no answer of the server
   * @param answer what the server said: fit to be handed on to the page, whose SDK reads it
   * @param retryAfter seconds to wait before the next try (E0040R, E0052R)
   */
  constructor(
    readonly status: number,
    readonly answer: Refusal,
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(answer.errorMessage, options);
  }

  /** The server's code, such as `E0032R`. */
  get errorCode(): string | undefined {
    return this.answer.errorCode;
  }

  /** Why, more exactly than the code says, such as `origin.notAllowed`. */
  get reason(): string | undefined {
    return this.answer.reason;
  }

  /** Names the call in the server's log. */
  get requestId(): string | undefined {
    return this.answer.requestId;
  }
}

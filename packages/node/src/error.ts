/** Body of an answer that refuses a call. */
export interface Refusal {
  status: 'failed' | false;
  errorCode?: string;
  errorMessage: string;
  /** Cause of the refusal, as a stable key such as `origin.notAllowed`. The server's docs/errors.md lists them. */
  reason?: string;
  /** ID of the request, as in the server's log and events. */
  requestId?: string;
  /** Relying parties that the application key covers (E0025R). */
  domains?: string[];
}

/** Thrown if the server refuses a call, or if there is no valid answer (`status` 0). */
export class ServiceFidoError extends Error {
  override readonly name = 'ServiceFidoError';

  /**
   * @param status HTTP status of the server's answer; 0 if the server gave no valid answer
   * @param answer body of the answer, which you can pass to the page; the browser SDK reads it
   * @param retryAfter seconds to wait before the next attempt (E0040R, E0052R)
   */
  constructor(
    readonly status: number,
    readonly answer: Refusal,
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(answer.errorMessage, options);
  }

  /** Error code of the server, for example `E0032R`. */
  get errorCode(): string | undefined {
    return this.answer.errorCode;
  }

  /** Cause of the refusal, for example `origin.notAllowed`. */
  get reason(): string | undefined {
    return this.answer.reason;
  }

  /** ID of the request, as in the server's log and events. */
  get requestId(): string | undefined {
    return this.answer.requestId;
  }
}

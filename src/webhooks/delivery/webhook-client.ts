import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PRODUCT_VERSION } from '../../platform/project.js';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { isError } from '../../platform/errors/driver-errors.js';
import {
  PrivateAddress,
  checkedLookup,
  isPrivateHost,
} from '../../platform/common/network/public-address.js';
import { counter } from '../../platform/telemetry/metrics.js';
import { describeSpan, traceHeaders, traceStep } from '../../platform/telemetry/tracing.js';
import { failureOf, failureOfStatus } from './failure-words.js';
import { signedHeaders, type Message } from './webhook-message.js';

const deliveries = counter({
  name: 'servicefido_webhook_messages_total',
  help: 'Messages to webhooks, by whether they arrived',
  labelNames: ['arrived'],
});

/** The outcome of an attempt. Of the answer it contains only the status. */
export type DeliveryOutcome =
  | { readonly arrived: true; readonly status: number; readonly tookMs: number }
  | {
      readonly arrived: false;
      readonly failure: string;
      readonly isGone: boolean;
      readonly tookMs: number;
    };

/** The outcome, before its time is measured. */
type Outcome =
  | Omit<Extract<DeliveryOutcome, { arrived: true }>, 'tookMs'>
  | Omit<FailedDeliveryOutcome, 'tookMs'>;

export type FailedDeliveryOutcome = Exclude<DeliveryOutcome, { arrived: true }>;

/** The time limit of a call, from name resolution to the end of the answer. */
const TOTAL_MS = 10_000;
/** An answer is read to the end, so that its connection can be reused, unless it is longer than this. */
const MAX_READ = 16 * 1024;
const IDLE_MS = 5_000;

/**
 * Sends messages to receivers. It connects to exactly the address that it has checked, follows no
 * redirect, uses no proxy, and times out after ten seconds; the body of an answer is discarded.
 */
@Injectable()
export class WebhookClient implements OnApplicationShutdown {
  private readonly agents: Readonly<Record<string, HttpAgent>>;
  private readonly isPrivateAllowed: boolean;
  private readonly pending = new Set<ClientRequest>();

  constructor(
    @Inject(serverOptions.KEY) { webhookPrivate }: ServerOptions,
    private readonly clock: Clock,
  ) {
    this.isPrivateAllowed = webhookPrivate;
    const options = {
      keepAlive: true,
      timeout: IDLE_MS,
      ...(!webhookPrivate && { lookup: checkedLookup() }),
    };
    this.agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  }

  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** Aborts pending calls: a process that shuts down does not wait for receivers. */
  abort(): void {
    for (const call of this.pending) call.destroy();
    this.pending.clear();
  }

  /** Whether an address may be called, as far as this can be decided without name resolution. */
  mayCall({ protocol, hostname }: URL): boolean {
    return this.isPrivateAllowed || (protocol === 'https:' && !isPrivateHost(hostname));
  }

  /** Posts a message, signed with each of the secrets. Never throws: every failure is an outcome. */
  async post(
    { url, secrets }: { readonly url: string; readonly secrets: readonly string[] },
    message: Message,
  ): Promise<DeliveryOutcome> {
    const headers = signedHeaders(message, secrets, this.clock.now());
    const began = performance.now();
    const outcome = await this.attempt(url, message.body, headers);
    deliveries.inc({ arrived: outcome.arrived ? 'yes' : 'no' });
    return { ...outcome, tookMs: Math.round(performance.now() - began) };
  }

  private async attempt(
    url: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<Outcome> {
    try {
      const to = new URL(url);
      const sent = traceStep('webhook delivery', { 'server.address': to.hostname }, async () => {
        const status = await this.send(to, body, { ...headers, ...traceHeaders() });
        describeSpan({ 'http.response.status_code': status });
        return status;
      });
      return outcomeOf(await sent);
    } catch (error) {
      return { arrived: false, failure: failureOf(error), isGone: false };
    }
  }

  /** @returns the status */
  private send(url: URL, body: string, headers: Record<string, string>): Promise<number> {
    if (!this.mayCall(url)) return Promise.reject(new PrivateAddress());
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const call = request(url, {
        method: 'POST',
        agent: this.agents[url.protocol],
        signal: AbortSignal.timeout(TOTAL_MS),
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': `ServiceFido/${PRODUCT_VERSION}`,
        },
      });
      this.pending.add(call);
      call.on('close', () => this.pending.delete(call));
      call.on('error', (error) => {
        // An aborted call has the same error as a stale one.
        const isAborted = !this.pending.has(call);
        // The receiver had closed a kept-alive connection: not a failure, the call is repeated once.
        const isStale = call.reusedSocket && isError(error) && error.code === 'ECONNRESET';
        if (isStale && !isAborted) this.send(url, body, headers).then(resolve, reject);
        else reject(error);
      });
      call.on('response', (response) => {
        discard(response);
        resolve(response.statusCode ?? 0);
      });
      call.end(body);
    });
  }
}

function discard(response: IncomingMessage): void {
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_READ) response.destroy();
  });
  // The answer was cut off; only its status, which is known, matters.
  response.on('error', () => undefined);
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { arrived: true, status };
  return { arrived: false, failure: failureOfStatus(status), isGone: status === 410 };
}

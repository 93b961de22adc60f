import { createHmac } from 'node:crypto';
import { newWebhookSecret, signedHeaders } from './webhook-message.js';

/** The example of the Standard Webhooks specification's reference libraries. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
const AT = 1_614_265_330_000;

describe('the signature of a message', () => {
  it('signs a webhook message as Standard Webhooks specifies', () => {
    expect(signedHeaders(MESSAGE, [SECRET], AT + 999)).toEqual({
      'webhook-id': MESSAGE.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('lists one signature of a message for each valid secret, separated by spaces', () => {
    const other = newWebhookSecret();
    const headers = signedHeaders(MESSAGE, [other, SECRET], AT);
    const [first, second, ...more] = headers['webhook-signature'].split(' ');
    expect([second, more]).toEqual(['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', []]);
    const key = Buffer.from(other.slice('whsec_'.length), 'base64');
    const text = `${MESSAGE.id}.1614265330.${MESSAGE.body}`;
    expect(first).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`);
  });

  it('a new webhook secret consists of 32 random bytes in the documented form', () => {
    expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret()).not.toBe(newWebhookSecret());
  });
});

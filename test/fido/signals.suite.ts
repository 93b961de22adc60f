import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('signals of result calls on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const clientOf = () => new FidoClient(server.url);
  /** Signals with their credential IDs sorted: their order means nothing. */
  const sorted = (signals: unknown) => {
    const { allAcceptedCredentialIds: ids, ...others } = signals as ReturnType<typeof signalsOf>;
    return { ...others, allAcceptedCredentialIds: ids.toSorted() };
  };
  const signalsOf = (username: string, displayName: string, clients: readonly FidoClient[]) => ({
    rpId: 'localhost',
    userId: clients[0]?.authenticator.credentials[0]?.userHandle,
    allAcceptedCredentialIds: clients.map(({ keyId }) => keyId).sort(),
    name: username,
    displayName,
  });

  it('the signals list all keys of the user and of no other user, and the user’s names', async () => {
    const blue = clientOf();
    const red = clientOf();
    const stranger = clientOf();
    await stranger.register('someone else');
    const first = await blue.register('anna', { displayName: 'Anna' });
    expect(sorted(first.body['signals'])).toEqual(signalsOf('anna', 'Anna', [blue]));
    const second = await red.register('anna', { displayName: 'Anna B.' });
    const both = signalsOf('anna', 'Anna B.', [blue, red]);
    expect(sorted(second.body['signals'])).toEqual(both);
    expect(sorted((await blue.signIn('anna')).body['signals'])).toEqual(both);
    const begun = await red.beginNameless();
    const { body } = await red.completeAuthentication(red.assert(begun));
    expect(sorted(body['signals'])).toEqual(both);
  });

  it('the signals include a disabled key, which may be enabled again', async () => {
    const blue = clientOf();
    const red = clientOf();
    await blue.register('disabled');
    await red.register('disabled');
    await disableCredentials(server, red.authenticator);
    const both = signalsOf('disabled', 'disabled', [blue, red]);
    expect(sorted((await blue.signIn('disabled')).body['signals'])).toEqual(both);
    const begun = await blue.beginNameless('conditional');
    const answer = await blue.completeAuthentication(blue.assert(begun));
    expect(sorted(answer.body['signals'])).toEqual(both);
  });

  it('the signals include a key that was stored after the sign-in began', async () => {
    const blue = clientOf();
    const red = clientOf();
    await blue.register('meanwhile');
    const begun = await blue.beginAuthentication('meanwhile');
    await red.register('meanwhile');
    const { body } = await blue.completeAuthentication(blue.assert(begun));
    expect(sorted(body['signals'])).toEqual(signalsOf('meanwhile', 'meanwhile', [blue, red]));
  });

  const unknownCredential = (client: FidoClient) => ({
    rpId: 'localhost',
    credentialId: client.keyId,
  });

  it('a refusal reports an unknown key only in a sign-in without a user name (E0033R)', async () => {
    const known = clientOf();
    const nobody = clientOf();
    await known.register('known');
    nobody.create(await nobody.beginRegistration('nobody'));
    const body = nobody.assert(await nobody.beginNameless());
    const answer = await nobody.completeAuthentication(body);
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0033R' } });
    expect(answer.body['unknownCredential']).toEqual(unknownCredential(nobody));

    const named = await nobody.beginAuthentication('known');
    const other = nobody.authenticator.get({ ...named.body, allowCredentials: [] } as never, {
      origin: nobody.origin,
    });
    expectRefusal(await nobody.completeAuthentication(other), 'E0033R');
  });

  it('a refusal never reports an existing key as unknown (E0033R, E0034R)', async () => {
    const owner = clientOf();
    const thief = clientOf();
    await owner.register('owner');
    await thief.register('thief');
    const userHandle = thief.authenticator.credentials[0]?.userHandle ?? '';
    const body = owner.assert(await owner.beginNameless(), { userHandle });
    expectRefusal(await owner.completeAuthentication(body), 'E0033R');
    await disableCredentials(server, owner.authenticator);
    const again = owner.assert(await owner.beginNameless(), { userHandle });
    expectRefusal(await owner.completeAuthentication(again), 'E0033R');
    const own = owner.assert(await owner.beginNameless());
    expectRefusal(await owner.completeAuthentication(own), 'E0034R');
  });
});

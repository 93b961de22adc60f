import { Authenticator } from '../../packages/testing/src/authenticator.js';
import { writeMetadata } from '../../packages/testing/src/metadata.js';
import { STATUS_VERDICTS } from '../../src/webauthn/metadata/status.js';

const AAGUID = 'a1a1a1a1-0000-4000-8000-000000000001';

describe('@servicefido/testing', () => {
  it.each(Object.keys(STATUS_VERDICTS))('writes metadata with the status %s', (status) => {
    expect(writeMetadata([{ aaguid: AAGUID, status }]).blob).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it.each(['revoked', 'REVOKD', 'FIDO CERTIFIED', ''])(
    'refuses metadata with the status %j, which a server would ignore',
    (status) => {
      expect(() => writeMetadata([{ aaguid: AAGUID, status }])).toThrow(
        /^"status" must be one of .*FIDO_CERTIFIED, .*REVOKED\.$/,
      );
    },
  );

  it.each([{}, { backupEligible: false }])(
    'makes no authenticator whose keys are synced although they cannot be, with %j',
    (more) => {
      expect(() => new Authenticator({ backedUp: true, ...more })).toThrow(
        /^"backedUp" needs "backupEligible": /,
      );
    },
  );
});

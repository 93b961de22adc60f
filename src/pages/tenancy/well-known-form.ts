import { problem } from '../../platform/errors/reasons.js';
import type { AndroidAppView } from '../../tenancy/well-known/well-known.answer.js';
import type { WellKnown } from '../../tenancy/well-known/well-known.js';
import {
  areAndroidApps,
  areAppleApps,
  areRelatedOrigins,
  isHttpsAddress,
} from '../../tenancy/well-known/well-known.validators.js';
import type { Faults } from '../../platform/validation/dto.pipe.js';
import { nonEmptyLines, textIn } from './form.js';

/** The fields of the published files, with the message beside an invalid value. */
const DEMANDS = {
  relatedOrigins: problem('form.relatedOrigins'),
  androidApps: problem('form.androidApps'),
  appleApps: problem('form.appleApps'),
  enroll: problem('form.httpsAddress'),
  manage: problem('form.httpsAddress'),
} as const;

type FieldName = keyof typeof DEMANDS;

export const WELL_KNOWN_FIELDS = Object.keys(DEMANDS) as FieldName[];

/** The values of the fields for the stored files. */
export const storedFields = ({
  relatedOrigins,
  apps: { android = [], apple = [] },
  passkeyEndpoints: { enroll = '', manage = '' },
}: WellKnown): Readonly<Record<FieldName, string>> => ({
  relatedOrigins: relatedOrigins.join('\n'),
  androidApps: android
    .map(({ package: name, fingerprints }) => [name, ...fingerprints].join(' '))
    .join('\n'),
  appleApps: apple.join('\n'),
  enroll,
  manage,
});

/** The entered files, with all empty fields, and the errors by field. */
export function wellKnownOf(fields: unknown): { files: WellKnown; faults: Faults } {
  const relatedOrigins = nonEmptyLines(textIn(fields, 'relatedOrigins'));
  const androidApps = nonEmptyLines(textIn(fields, 'androidApps')).map(androidAppOf);
  const appleApps = nonEmptyLines(textIn(fields, 'appleApps'));
  const enroll = textIn(fields, 'enroll');
  const manage = textIn(fields, 'manage');
  const right: Readonly<Record<FieldName, boolean>> = {
    relatedOrigins: areRelatedOrigins(relatedOrigins),
    androidApps: areAndroidApps(androidApps),
    appleApps: areAppleApps(appleApps),
    enroll: enroll === '' || isHttpsAddress(enroll),
    manage: manage === '' || isHttpsAddress(manage),
  };
  const wrong = WELL_KNOWN_FIELDS.filter((name) => !right[name]);
  return {
    files: {
      relatedOrigins,
      apps: {
        ...(androidApps.length > 0 && { android: androidApps }),
        ...(appleApps.length > 0 && { apple: appleApps }),
      },
      passkeyEndpoints: {
        ...(enroll !== '' && { enroll }),
        ...(manage !== '' && { manage }),
      },
    },
    faults: Object.fromEntries(wrong.map((name) => [name, DEMANDS[name]])),
  };
}

function androidAppOf(line: string): AndroidAppView {
  const [name = '', ...fingerprints] = line.split(/[\s,]+/).filter((word) => word !== '');
  return { package: name, fingerprints };
}

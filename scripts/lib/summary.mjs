/** The services whose absence fails the run: asked for by name, or any of them with CI=true. */
export function unmet(services) {
  const strict = process.env.CI === 'true';
  return services.filter(
    ({ missing, broken, optional }) => missing !== undefined && (broken || (strict && !optional)),
  );
}

/** What the tests ran on, a line each; where they could not run, why. */
export function summary(services, { lacking, partial }) {
  const lines = services.map((service) => {
    const { name, detail, missing } = service;
    if (missing === undefined)
      return `  ${name.padEnd(18)} ${partial ? 'at hand' : 'run'}: ${detail}`;
    const failure = lacking.includes(service) ? ' (this fails the run)' : '';
    return `  ${name.padEnd(18)} not run: ${missing}${failure}`;
  });
  const title = partial ? 'Only the tests asked for ran. They had:' : 'Tested with:';
  return ['', title, ...lines, ''].join('\n');
}

/** What failed beside others and passed on its own: worth a look, though not a failure. */
export function unsteadyLines({ unsteady }) {
  return unsteady.map((file) => `Unsteady: ${file} failed at first and passed on its own.`);
}

/** The last line: how many tests passed and failed; skipped ones only where there are any. */
export function closingLine({ passed, failed, skipped }) {
  const rest = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed} failed${rest}`;
}

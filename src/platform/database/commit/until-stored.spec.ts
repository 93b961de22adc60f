import { OVERTAKEN, untilStored } from './until-stored.js';

describe('A change that others may overtake', () => {
  it('is attempted again until it is stored', async () => {
    const answers = [OVERTAKEN, OVERTAKEN, 'stored'];
    const attempt = () => Promise.resolve(answers.shift() ?? 'once too often');
    expect(await untilStored('user.changing', attempt)).toBe('stored');
    expect(answers).toEqual([]);
  });

  it('may end with a result that stores nothing', async () => {
    expect(await untilStored('user.changing', () => Promise.resolve(undefined))).toBeUndefined();
  });

  it('is refused with its reason if others are faster each time', async () => {
    let attempts = 0;
    const attempt = () => {
      attempts += 1;
      return Promise.resolve(OVERTAKEN);
    };
    await expect(untilStored('relyingParty.changing', attempt)).rejects.toMatchObject({
      code: 'E0052R',
      problem: { reason: 'relyingParty.changing' },
    });
    expect(attempts).toBeGreaterThan(1);
  });

  it('is attempted as often as its caller allows', async () => {
    const answers = [OVERTAKEN, OVERTAKEN, 'stored'];
    const attempt = () => Promise.resolve(answers.shift() ?? 'once too often');
    const repeated = untilStored('resource.changing', attempt, { tries: 2, maxPauseMs: 1 });
    await expect(repeated).rejects.toMatchObject({ code: 'E0052R' });
    expect(answers).toEqual(['stored']);
  });

  it('ends with an error of an attempt', async () => {
    const fault = new Error('the database does not answer');
    await expect(untilStored('user.changing', () => Promise.reject(fault))).rejects.toBe(fault);
  });
});

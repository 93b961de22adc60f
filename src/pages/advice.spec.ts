import { advice } from './advice.js';

describe('advice', () => {
  it('knows what to do about the usual refusals', () =>
    expect(advice(404)).toBe('Check the address, or start from the dashboard.'));

  it('looks to the request for other refusals', () => expect(advice(415)).toMatch(/what was sent/));

  it('looks to the server for failures', () => expect(advice(507)).toMatch(/administrator/));
});

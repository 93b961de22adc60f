import { readRefusalDetail, refusalDetailText, type RefusalDetail } from './refusal-detail.js';

describe('the detail of a refusal', () => {
  it.each<[string, RefusalDetail]>([
    ['signature-invalid', { word: 'signature-invalid', alike: 1 }],
    ['signature-invalid (32 alike)', { word: 'signature-invalid', alike: 32 }],
    ['unknown-user oidc app', { word: 'unknown-user', alike: 1, application: 'oidc app' }],
    ['fields.missing (2 alike) id', { word: 'fields.missing', alike: 2, value: 'id' }],
    [
      'fields.missing (2 alike) id oidc app',
      { word: 'fields.missing', alike: 2, value: 'id', application: 'oidc app' },
    ],
  ])('%s gives its word and its value back', (text, detail) => {
    expect(refusalDetailText(detail)).toBe(text);
    expect(readRefusalDetail(text)).toEqual({ word: detail.word, value: detail.value });
  });

  it('is empty if nothing says more than the code', () => {
    expect(refusalDetailText({ word: '', alike: 1 })).toBe('');
    expect(readRefusalDetail('')).toEqual({ word: '', value: undefined });
  });
});

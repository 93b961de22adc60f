import { csvOf, csvRows, spreadsheetOf, withoutApostrophe } from './csv.js';

describe('CSV', () => {
  it('quotes every field, including empty ones, numbers and headings', () => {
    const text = csvOf(['name', 'n', 'more'], [['Zoë "Z"', -5, '']]);
    expect(text).toBe('"name","n","more"\r\n"Zoë ""Z""","-5",""\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['  =1', "  '=1"],
    ['\uFF1D1', "'\uFF1D1"],
    ['anna;=1+1', "anna;'=1+1"],
    ['anna; =1+1', "anna; '=1+1"],
    ['a;@b;-c;+d', "a;'@b;'-c;'+d"],
    ['anna\n=1+1', "anna\n'=1+1"],
    ['anna;;=1', "anna;;'=1"],
    ["'=1", "''=1"],
    ["''=1;'+2", "'''=1;''+2"],
    ["'anna", "'anna"],
    ['anna', 'anna'],
    ['anna-maria@example.com', 'anna-maria@example.com'],
    ['a;b', 'a;b'],
    ['1=1', '1=1'],
  ])('writes the field %j as %j, so that no spreadsheet runs a formula', (field, written) => {
    expect(csvRows([[field]])).toBe(`"${written}"\r\n`);
    if (!/^[\t\r]/.test(field)) expect(withoutApostrophe(written)).toBe(field);
  });

  it.each([
    ['en', '\uFEFF"n","net"\r\n"1","-4.50"\r\n'],
    ['de', '\uFEFF"n";"net"\r\n"1";"-4,50"\r\n'],
  ] as const)('writes CSV as a spreadsheet of language %s expects it', (language, text) => {
    expect(csvOf(['n', 'net'], [[1, '-4.50']], spreadsheetOf(language))).toBe(text);
  });
});

import hbs from 'hbs';

/** The document's words for a page: what stands between backticks is code, and paragraphs stay apart. */
export const prose = (text: unknown) => {
  const escaped = hbs.handlebars.escapeExpression(typeof text === 'string' ? text : '');
  // Escaped, a backtick is its number.
  const marked = escaped.replaceAll(/&#x60;(.+?)&#x60;/g, '<code>$1</code>');
  return new hbs.handlebars.SafeString(marked);
};

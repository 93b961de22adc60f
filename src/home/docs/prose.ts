import hbs from 'hbs';

/** Converts text of the document to HTML: text between backticks is code, and paragraphs are kept. */
export const prose = (text: unknown) => {
  const escaped = hbs.handlebars.escapeExpression(typeof text === 'string' ? text : '');
  // Escaping has replaced backticks by their character reference.
  const marked = escaped.replaceAll(/&#x60;(.+?)&#x60;/g, '<code>$1</code>');
  return new hbs.handlebars.SafeString(marked);
};

/** Writes a request as a command of the shell. */

/** What the command has in place of the token, so that no command that is passed on contains one. */
export const TOKEN_PLACEHOLDER = '$TOKEN';

/** A word of the shell that stands for exactly this text. */
export const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The address with what is filled in; path parameters without a value keep their braces. */
export const addressOf = (path, values) => {
  const query = new URLSearchParams();
  let filled = path;
  for (const { parameter, value } of values) {
    if (value === '') continue;
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, () => encodeURIComponent(value));
    else if (parameter.in === 'query') query.append(parameter.name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
};

/** The headers that parameters fill in. */
export const headersOf = (values) =>
  values.flatMap(({ parameter, value }) =>
    parameter.in === 'header' && value !== '' ? [[parameter.name, value]] : [],
  );

/** The command that sends the request. `body` has a media type and a text; without one, nothing is sent. */
export const curlCommand = ({ method, path, needsToken, values, body, origin }) => {
  const address = origin + addressOf(path, values);
  const verb = method.toUpperCase();
  const parts = [
    [
      'curl',
      ...(verb === 'GET' ? [] : ['-X', verb]),
      ...(/[{}[\]]/.test(address) ? ['--globoff'] : []),
      quote(address),
    ],
    ...(needsToken ? [['-H', `"Authorization: Bearer ${TOKEN_PLACEHOLDER}"`]] : []),
    ...headersOf(values).map(([name, value]) => ['-H', quote(`${name}: ${value}`)]),
    ...(body ? [['-H', quote(`Content-Type: ${body.type}`)]] : []),
    ...(body ? [['--data-binary', quote(body.text)]] : []),
  ];
  return parts.map((words) => words.join(' ')).join(' \\\n  ');
};

/** A query and the values of its parameters, as the address of the page has them. */
export type QueryChoice = { readonly query: string; readonly parameters: string };

export const EXAMPLES: readonly { readonly title: string; readonly query: string }[] = [
  {
    title: 'What dashboards depend on that nobody owns',
    query: `MATCH (t:Table)-[:FEEDS*1..10]->(d:Dashboard)
WHERE NOT EXISTS { (t)<-[:OWNS]-() }
RETURN d, collect(DISTINCT t) AS unowned`,
  },
  {
    title: 'Tables with the most columns of personal data',
    query: `MATCH (t:Table)-[:HAS_COLUMN]->(c)-[:TAGGED]->(g:Tag)
WHERE g.fullyQualifiedName STARTS WITH 'PII.'
RETURN t, count(DISTINCT c) AS columns
ORDER BY columns DESC
LIMIT 20`,
  },
  {
    title: 'Who owns how much',
    query: `MATCH (p:User|Team)-[:OWNS]->(a:Asset)
RETURN p, count(a) AS assets
ORDER BY assets DESC`,
  },
];

export const readQueryChoice = (params: URLSearchParams): QueryChoice => ({
  query: params.get('query') ?? '',
  parameters: params.get('parameters') ?? '',
});

export const writeQueryChoice = ({ query, parameters }: QueryChoice): URLSearchParams =>
  new URLSearchParams({ query, ...(parameters.trim() === '' ? {} : { parameters }) });

/** The values of parameters as an object; undefined for a text that is none. */
export const parseParameters = (text: string): Record<string, unknown> | undefined => {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

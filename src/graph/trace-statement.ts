import type { SpanAttributes, Tracing } from '../tracing/tracing.ts';

/** A database, and what records its statements. */
type TracedDatabase = {
  readonly observer: { readonly tracing?: Tracing | undefined };
  readonly spanAttributes: SpanAttributes;
};

/** By the conventions of OpenTelemetry for databases. An address that the driver refuses is not described. */
export const describeDatabase = ({
  uri,
  database,
}: {
  readonly uri: string;
  readonly database: string;
}): SpanAttributes => {
  const { hostname, port } = URL.canParse(uri) ? new URL(uri) : { hostname: '', port: '' };
  return {
    'db.system.name': 'neo4j',
    'db.namespace': database,
    ...(hostname === '' ? {} : { 'server.address': hostname, 'server.port': Number(port || 7687) }),
  };
};

/** Records a span for a statement, or for the commit of several. Parameters are never part of it. */
export const traceStatement = <T>(
  { observer: { tracing }, spanAttributes }: TracedDatabase,
  name: string,
  work: () => Promise<T>,
): Promise<T> =>
  tracing
    ? tracing.child({ name, kind: 'client', attributes: { ...spanAttributes, 'db.query.summary': name } }, work)
    : work();

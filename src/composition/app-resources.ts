import { createSecretBox, type SecretBox } from '../access/secret-box.ts';
import { loadSigningKey, type SigningKey } from '../access/signing-key.ts';
import { declareKindStatements } from '../catalog/read/store.ts';
import { loadKinds, type Registry } from '../catalog/registry.ts';
import type { Config } from '../config.ts';
import { type Graph, type GraphObserver, openGraph } from '../graph/client.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** The address and credentials of the database, including an embedded one. */
export type DatabaseAddress = { readonly uri: string; readonly user: string; readonly password: string };

export type AppResources = {
  readonly key: SigningKey;
  readonly secrets: SecretBox;
  readonly registry: Registry;
  readonly graph: Graph;
};

/** Who sees what the graph does. */
type GraphObservers = { readonly observer?: GraphObserver; readonly tracing?: Tracing | undefined };

/** Loads the keys and the kinds, and connects to the database. Every application of the service begins with these. */
export const openAppResources = async (
  config: Config,
  database: DatabaseAddress,
  { observer, tracing }: GraphObservers = {},
): Promise<AppResources> => {
  const [key, secrets, registry] = await Promise.all([
    loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
    createSecretBox({ home: config.home, secretsKey: config.secretsKey, formerKeys: config.formerSecretsKeys }),
    loadKinds(),
  ]);
  declareKindStatements(registry);
  const graph = openGraph({
    ...database,
    database: config.neo4j.database,
    transactionMs: config.limits.transactionMs,
    ...(observer ? { observer } : {}),
    tracing,
  });
  return { key, secrets, registry, graph };
};

import { join } from 'node:path';
import { packageRoot } from '../../src/graph/package-root.ts';

/** The chart, and values with which it is rendered or refused. */

export type Values = { readonly [name: string]: unknown };

export const CHART = join(packageRoot, 'deploy', 'helm', 'tributary');

/** The values that have no default. */
export const REQUIRED = {
  image: { repository: 'registry.example/tributary' },
  existingSecret: 'tributary',
  neo4j: { uri: 'neo4j://db.example:7687' },
};
export const EVERYTHING = {
  ...REQUIRED,
  typesense: { url: 'http://search.example:8108' },
  publicUrl: 'https://catalog.example',
  settings: { LOG_LEVEL: 'warn', MAX_BODY_MIB: 64 },
  secretSettings: ['AUTH_OIDC_CLIENT_SECRET', 'SMTP_URL'],
  ingress: { enabled: true, tlsSecret: 'certificate' },
  autoscaling: { enabled: true },
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true, tokenSecret: 'metrics-token' },
};

/** What the schema refuses, by the place that it names. */
export const MISTAKES: Readonly<Record<string, Values>> = {
  '/existingSecret': { existingSecret: '' },
  '/neo4j/uri': { neo4j: { uri: 'http://db.example' } },
  "'replicas'": { replicas: 3 },
  '/replicaCount': { replicaCount: 0 },
  '/ingress/enabled': { ingress: { enabled: 'yes' } },
  'LOG LEVEL': { settings: { 'LOG LEVEL': 'warn' } },
  '/settings/MAX_BODY_MIB': { settings: { MAX_BODY_MIB: 1e21 } },
  NEO4J_URI: { settings: { NEO4J_URI: 'bolt://other.example' } },
  '/secretSettings/0': { secretSettings: ['smtp-url'] },
};

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm does it: objects are merged, everything else is replaced. */
export const merge = (base: Values, over: Values): Values => {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isObject(below) && isObject(value) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
};

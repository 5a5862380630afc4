import { badRequest } from '../errors.ts';
import { type Attribute, empty, nested, property, secret } from './attribute.ts';
import type { JsonObject } from './json.ts';
import type { KindDeclaration, SubResource } from './kind.ts';
import { Flag, FreeForm, Integer, listOf, must, oneOf, Ref, Style, shape, Text, Timestamp } from './values.ts';

/** What the eight kinds of services have in common (entities.md, Services). */
export const serviceBlocks = {
  create: ['name', 'displayName', 'description', 'tags', 'owners', 'domains', 'dataProducts'],
  gated: ['owners', 'tags', 'domains', 'dataProducts', 'dataContract', 'followers'],
  rules: [(candidate: JsonObject) => checkConnectionType(candidate)],
} as const satisfies Partial<KindDeclaration>;

export const serviceSubResources: readonly SubResource[] = [
  {
    path: 'testConnectionResult',
    member: 'testConnectionResult',
    methods: ['PUT'],
    edit: 'EditAll',
    view: 'ViewBasic',
  },
];

const Connection = shape('ServiceConnection', { config: FreeForm });

const STATUSES = ['Successful', 'Failed', 'Running'] as const;

const Step = shape('TestConnectionStepResult', {
  name: must(Text),
  mandatory: must(Flag),
  passed: must(Flag),
  message: Text,
  errorLog: Text,
  status: Text,
  skipReason: Text,
  diagnosis: FreeForm,
  durationMs: Integer,
  executedCommand: Text,
  resultSummary: Text,
});

const TestConnectionResult = shape('TestConnectionResult', {
  lastUpdatedAt: Timestamp,
  status: oneOf(STATUSES),
  steps: must(listOf(Step)),
});

export const serviceAttributes = (types: readonly string[]): Readonly<Record<string, Attribute>> => ({
  serviceType: property(oneOf(types), { required: true, immutable: true }),
  connection: secret(Connection, { onAbsent: 'keep' }),
  style: nested(Style, { onAbsent: 'keep' }),
  ingestionRunner: empty(Ref, undefined, { request: true, gated: false }),
  testConnectionResult: nested(TestConnectionResult, { request: false, versioned: false, onAbsent: 'keep' }),
  pipelines: empty(listOf(Ref), []),
});

const checkConnectionType = (candidate: JsonObject): void => {
  const connection = candidate['connection'] as { config?: { type?: unknown } } | undefined;
  const type = connection?.config?.type;
  if (type !== undefined && type !== candidate['serviceType']) {
    throw badRequest(`[connection.config.type must equal serviceType ${String(candidate['serviceType'])}]`);
  }
};

import { badRequest } from '../../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { type Attribute, computedRefs, empty, nested, property, secret } from '../../kind/attribute.ts';
import { BASE_BLOCK, type KindDeclaration, withoutMembers } from '../../kind/kind.ts';
import { Flag, FreeForm, Integer, listOf, must, oneOf, Ref, Style, shape, Text, Timestamp } from '../../values.ts';
import type { ConnectionSteps, ConnectionStepsDeclaration } from './connection-steps.ts';

/** Declares the members that all kinds of services share. */

const ServiceConnection = shape('ServiceConnection', { config: FreeForm });

const TEST_CONNECTION_STATUSES = ['Successful', 'Failed', 'Running'] as const;

const TestConnectionStep = shape('TestConnectionStepResult', {
  name: must(Text),
  mandatory: must(Flag),
  passed: must(Flag),
  message: Text,
  errorLog: Text,
  status: oneOf(['Queued', 'Running', 'Passed', 'Failed', 'Skipped', 'Warning']),
  skipReason: oneOf(['NotImplemented', 'ConnectionNotEstablished']),
  diagnosis: shape('Diagnosis', { title: Text, remediation: Text, docUrl: Text }),
  durationMs: Integer,
  executedCommand: Text,
  resultSummary: Text,
});

const TestConnectionResult = shape('TestConnectionResult', {
  lastUpdatedAt: Timestamp,
  status: oneOf(TEST_CONNECTION_STATUSES),
  steps: must(listOf(TestConnectionStep)),
});

const serviceAttributes = ({
  types,
  hasStyle = true,
  extraAttributes = {},
}: ServiceDeclaration): Readonly<Record<string, Attribute>> => ({
  serviceType: property(oneOf(types), { required: true, immutable: true }),
  connection: secret(ServiceConnection, { onAbsent: 'keep' }),
  ...(hasStyle ? { style: nested(Style, { onAbsent: 'keep' }) } : {}),
  ingestionRunner: empty(Ref, undefined, { request: true, gated: false }),
  testConnectionResult: nested(TestConnectionResult, { request: false, versioned: false, onAbsent: 'keep' }),
  pipelines: computedRefs('pipelines/walk_ingestion'),
  ...extraAttributes,
});

const checkConnectionType = (candidate: JsonObject): void => {
  const connection = candidate['connection'] as { config?: { type?: unknown } } | undefined;
  const type = connection?.config?.type;
  if (type !== undefined && type !== candidate['serviceType']) {
    throw badRequest(`[connection.config.type must equal serviceType ${String(candidate['serviceType'])}]`);
  }
};

type ServiceDeclaration = Pick<KindDeclaration, 'entityType' | 'label' | 'path' | 'title'> & {
  readonly types: readonly string[];
  /** What connectors try when they test the connection. */
  readonly steps: ConnectionStepsDeclaration;
  /** The index of its documents, and the alias that covers those of the service's descendants as well. */
  readonly index: string;
  readonly alias?: string;
  readonly hasStyle?: boolean;
  /** Members that other services do not have. */
  readonly extraAttributes?: Readonly<Record<string, Attribute>>;
};

const listConnectionSteps = ({ types, steps }: ServiceDeclaration): ConnectionSteps =>
  Object.fromEntries(types.map((type) => [type, steps.ofType?.[type] ?? steps.usual]));

/** Declares a kind of service from what distinguishes it from the other services (entities.md, Services). */
export const declareServiceKind = (service: ServiceDeclaration): KindDeclaration => {
  const { entityType, label, path, title, index, alias } = service;
  return {
    entityType,
    label,
    path,
    title,
    parents: [],
    create: ['name', 'displayName', 'description', 'tags', 'owners', 'domains', 'dataProducts'],
    base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
    gated: ['owners', 'tags', 'domains', 'dataProducts', 'dataContract', 'followers'],
    attributes: serviceAttributes(service),
    search: { index, aliases: ['all', 'service', ...(alias === undefined ? [] : [alias])] },
    filters: { domain: { by: 'domain' } },
    platformView: 'service',
    connectionSteps: listConnectionSteps(service),
    rules: [checkConnectionType],
    subResources: [
      {
        path: 'testConnectionResult',
        member: 'testConnectionResult',
        methods: ['PUT'],
        edit: 'EditAll',
      },
    ],
    defaultLimit: 1000,
  };
};

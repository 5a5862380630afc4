import type { Registry } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { createSchemaDocument } from '../http/openapi/schema-document.ts';
import { NO_TEXTS } from '../http/openapi/texts.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { PROPERTY_TYPES } from '../model/schemas/types/custom-property.ts';

/**
 * A type that every catalog has. Its body is built only when the type is missing, because writing the schema takes a
 * while.
 */
export type BuiltInType = { readonly name: string; readonly body: () => JsonObject };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schema of a kind's record as one document. */
const jsonSchemaOf = (kind: Kind): JsonObject => {
  const document = createSchemaDocument(NO_TEXTS);
  const { $ref } = document.refer(schema.recordSchema(kind), kind.label);
  const text = JSON.stringify({ $schema: DIALECT, $ref, $defs: document.components() });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as JsonObject;
};

const buildKindType = (kind: Kind): BuiltInType => ({
  name: kind.entityType,
  body: () => ({
    name: kind.entityType,
    displayName: kind.entityType,
    description: `JSON Schema of the entity type ${kind.entityType}.`,
    category: 'entity',
    nameSpace: 'entity',
    schema: JSON.stringify(jsonSchemaOf(kind)),
  }),
});

const buildPropertyType = ({ name, description, json }: (typeof PROPERTY_TYPES)[number]): BuiltInType => ({
  name,
  body: () => ({
    name,
    displayName: name,
    description,
    category: 'field',
    nameSpace: 'field',
    schema: JSON.stringify({ $schema: DIALECT, title: name, ...json }),
  }),
});

/** One type per declared kind, and the types that custom properties may have. */
export const listBuiltInTypes = (registry: Registry): readonly BuiltInType[] => [
  ...registry.kinds.map(buildKindType),
  ...PROPERTY_TYPES.map(buildPropertyType),
];

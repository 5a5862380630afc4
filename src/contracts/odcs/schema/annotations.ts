import { type Json, type JsonObject, member } from '../../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../../model/json-parts.ts';
import { omitEmpty } from '../json-parts.ts';
import {
  type ImportedProperty,
  isMeasure,
  joinColumnPath,
  type SelectedObject,
  walkProperties,
} from './read-schema.ts';

/**
 * Reads what a document says of an entity and its columns in words of 3.2.0 that columns have no place for. The contract
 * stores it for searches, checks of changes and assistants; exports take it from the document.
 */

const namesIn = (list: Json | undefined, name: string): readonly string[] =>
  jsonTexts(jsonObjects(list).map((item) => nonBlankText(item[name]) ?? null));

const readContext = (value: Json | undefined): JsonObject => {
  const { instructions, verifiedStatements, constraints } = jsonObject(value);
  return omitEmpty({
    instructions: nonBlankText(instructions),
    verifiedStatements: jsonObjects(verifiedStatements).flatMap(({ question, answer }) =>
      nonBlankText(question) === undefined ? [] : [omitEmpty({ question, answer: nonBlankText(answer) })],
    ),
    constraints: namesIn(constraints, 'constraint'),
  });
};

const readElement = (element: JsonObject): JsonObject => ({
  synonyms: namesIn(element['synonyms'], 'synonym'),
  ...(element['deprecated'] === true ? { deprecated: true } : {}),
});

/** The allowed values of a property as texts, because the standard compares them with columns of any type. */
const readAllowedValues = (property: JsonObject): readonly string[] => [
  ...new Set(
    jsonObjects(property['enum']).flatMap((item) => {
      const value = member(item, 'value');
      return value === undefined ? [] : [String(value)];
    }),
  ),
];

const VECTOR_ELEMENT = 'float32';

const logicalTypeOf = (property: JsonObject): string => {
  const type = nonBlankText(property['logicalType'])?.toLowerCase() ?? '';
  return readInnerType(property) ?? type;
};

/** The type of a map or vector with what is inside, of which the type of a column tells little. */
const readInnerType = (property: JsonObject): string | undefined => {
  switch (nonBlankText(property['logicalType'])?.toLowerCase()) {
    case 'map': {
      const { key, value } = jsonObject(property['map']);
      return `map<${[key, value].map((inner) => logicalTypeOf(jsonObject(inner))).join(',')}>`;
    }
    case 'vector': {
      const { elementType, dimensions } = jsonObject(property['logicalTypeOptions']);
      return `vector<${nonBlankText(elementType) ?? VECTOR_ELEMENT}>(${Number(dimensions)})`;
    }
    default:
      return undefined;
  }
};

const readColumn = (column: string, property: JsonObject): readonly JsonObject[] => {
  const said = omitEmpty({
    type: readInnerType(property),
    semanticType: nonBlankText(property['semanticType']),
    enum: readAllowedValues(property),
    ...readElement(property),
  });
  return Object.keys(said).length === 0 ? [] : [{ column, ...said }];
};

/** Reads the annotations of the selected part of a document; empty when it has none. */
export const readAnnotations = (
  document: JsonObject,
  { object = {}, properties }: SelectedObject,
  read: readonly ImportedProperty[],
): JsonObject => {
  const measures = jsonItems(properties).map(jsonObject).filter(isMeasure);
  return omitEmpty({
    contexts: [document['context'], object['context']].map(readContext).filter((one) => Object.keys(one).length > 0),
    ...readElement(object),
    columns: [
      ...[...walkProperties(read)].flatMap(({ key, property }) => readColumn(key, property)),
      ...measures.flatMap((measure) => readColumn(joinColumnPath('', nonBlankText(measure['name']) ?? ''), measure)),
    ],
  });
};

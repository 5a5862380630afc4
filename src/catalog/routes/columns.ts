import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { columnSections } from '../../model/kind/column-sections.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { kindWords } from '../../model/kind/kind-words.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Engine } from '../engine.ts';
import { parseAddress } from '../read/answer.ts';
import { membersByColumn } from '../read/column-items.ts';
import { computedPartMembers } from '../read/computed-parts.ts';
import { authorizeRecord } from '../read/facts.ts';
import { offsetParameters, parseOffsetPage } from '../read/offset.ts';
import { isLeftOut, parseReadView } from '../read/read-view.ts';
import { renderSection } from '../read/render.ts';
import { redactRecord } from '../read/sensitive-values.ts';
import { addressKey } from '../read/store.ts';
import { includeParameter, RECORD_ADDRESSES } from './parameters.ts';
import * as schema from './schemas.ts';

type Sections = Kind['columnTrees'];

/** The columns of one section, as they stand in the record. */
type ColumnList = { readonly columns: readonly JsonObject[]; readonly childrenMember: string };

const SECTION = 'section';

const sectionNames = (sections: Sections): readonly string[] => sections.map(([name]) => name);

/** A column and a column of another section may have the same name, so a caller can ask for one section. */
const parseSections = (kind: Kind, call: Call): Sections => {
  const sections = columnSections(kind);
  const wanted = call.query.get(SECTION);
  if (!wanted) return sections;
  const found = sections.filter(([name]) => name === wanted);
  if (found.length === 0) throw badRequest(`[${SECTION} must be one of ${sectionNames(sections).join(', ')}]`);
  return found;
};

/** Columns need the rights that they need inside the record, where some sections are returned only on request. */
const withGatedSections = (fields: ReadonlySet<string>, sections: Sections): ReadonlySet<string> => {
  const missing = sectionNames(sections.filter(([name, { gated }]) => gated && !fields.has(name)));
  return missing.length === 0 ? fields : new Set([...fields, ...missing]);
};

const readColumns = async (engine: Engine, kind: Kind, call: Call): Promise<readonly ColumnList[]> => {
  const { fields: asked, include, view } = parseReadView(engine, kind, call);
  const sections = parseSections(kind, call);
  const fields = withGatedSections(asked, sections);
  const address = parseAddress(kind, call);
  const known = 'fqn' in address || isUuid(address.id);
  const record = known ? await engine.store.record(kind, address, fields) : undefined;
  if (!record || isLeftOut(record, include)) throw recordNotFound(kind.entityType, addressKey(address));
  call.countWork(record.weight);
  await authorizeRecord(engine, call.principal, operationsToReadFields(kind, fields), record);
  const shown = await redactRecord(engine, call.principal, record);
  return sections.map((section) => ({
    columns: renderSection(shown, section, view),
    childrenMember: section[1].childrenMember,
  }));
};

const pageAnswer = (columns: readonly JsonObject[], call: Call): Answer => {
  const { limit, offset } = parseOffsetPage(call.query, columns.length, 1);
  const data = columns.slice(offset, offset + limit);
  return { status: 200, json: { data, paging: { offset, limit, total: columns.length } } };
};

const flattenTree = ({ columns, childrenMember }: ColumnList): JsonObject[] =>
  columns.flatMap((column) => {
    const children = (column[childrenMember] ?? []) as readonly JsonObject[];
    return [column, ...flattenTree({ columns: children, childrenMember })];
  });

const matchesWord = (column: JsonObject, word: string): boolean =>
  ['name', 'displayName', 'description'].some((member) =>
    String(column[member] ?? '')
      .toLowerCase()
      .includes(word),
  );

const createListHandler = (engine: Engine, kind: Kind) => async (call: Call) => {
  const lists = await readColumns(engine, kind, call);
  return pageAnswer(
    lists.flatMap(({ columns }) => columns),
    call,
  );
};

const createSearchHandler = (engine: Engine, kind: Kind) => async (call: Call) => {
  const word = (call.query.get('q') ?? '').trim().toLowerCase();
  const lists = await readColumns(engine, kind, call);
  const columns = lists.flatMap((list) =>
    word === '' ? list.columns : flattenTree(list).filter((column) => matchesWord(column, word)),
  );
  return pageAnswer(columns, call);
};

const fieldsParameter = (kind: Kind): QueryParameter => {
  const members = ['tags', ...membersByColumn(kind), ...computedPartMembers(kind).map(([name]) => name)];
  return {
    name: 'fields',
    description: `Comma-separated names of the optional fields to return: ${members.join(', ')}`,
    schema: { type: 'string' },
  };
};

/** Only kinds with several sections have a choice. */
const sectionParameters = (kind: Kind): readonly QueryParameter[] => {
  const names = sectionNames(columnSections(kind));
  if (names.length < 2) return [];
  const description = 'Member whose columns to return; by default those of all members, one after the other';
  return [{ name: SECTION, description, schema: { type: 'string', enum: names } }];
};

const WORD = {
  name: 'q',
  description: 'Text to find in a name, display name or description',
  schema: { type: 'string' },
} as const;

/** The operation that reading the columns needs beyond that of seeing the record, if any. */
const viewOperationOf = (kind: Kind): string => {
  const fields = withGatedSections(new Set(), columnSections(kind));
  return operationsToReadFields(kind, fields).at(-1) ?? '';
};

const columnRoutesFor = (engine: Engine, kind: Kind): Route[] => {
  const { a } = kindWords(kind);
  const parameters = [fieldsParameter(kind), includeParameter, ...sectionParameters(kind), ...offsetParameters];
  return RECORD_ADDRESSES.flatMap(({ place, how }): Route[] => {
    const common = {
      method: 'GET',
      tag: kind.title,
      access: { operation: viewOperationOf(kind), resource: kind.entityType },
      responses: { 200: schema.columnListSchema(kind) },
    } as const;
    const path = `/v1/${kind.path}/${place}/columns`;
    return [
      {
        ...common,
        path,
        summary: `List columns of ${a} by ${how}`,
        query: parameters,
        handle: createListHandler(engine, kind),
      },
      {
        ...common,
        path: `${path}/search`,
        summary: `Search columns of ${a} by ${how}`,
        query: [WORD, ...parameters],
        handle: createSearchHandler(engine, kind),
      },
    ];
  });
};

/** Routes that list the columns of a record alone, for every kind that has columns. */
export const columnRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter((kind) => columnSections(kind).length > 0)
    .flatMap((kind) => columnRoutesFor(engine, kind));

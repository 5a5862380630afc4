import { joinTypes, listOfType, NUMBER, PLAIN, type QueryType, TRUTH } from './value-type.ts';

/** The functions that queries may call. Only their names here are ever written into a statement. */

export type QueryFunction = {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly isAggregate?: true;
  /** Whether it takes nodes, edges, paths or lists of them. */
  readonly takesGraph?: true;
  /** Whether it is a list or text as long as its arguments together; otherwise as the first one. */
  readonly answer: (args: readonly QueryType[]) => QueryType | undefined;
};

const always = (type: QueryType) => (): QueryType => type;
const sameAsFirst = ([first]: readonly QueryType[]): QueryType => first ?? PLAIN;
const itemOfFirst = ([first]: readonly QueryType[]): QueryType => (first?.is === 'list' ? first.of : PLAIN);

const declare = (
  names: string,
  least: number,
  most: number,
  answer: QueryFunction['answer'],
  more: Pick<QueryFunction, 'isAggregate' | 'takesGraph'> = {},
): readonly QueryFunction[] => names.split(' ').map((name) => ({ name, least, most, answer, ...more }));

const NODES: QueryType = { is: 'node', labels: null };
const EDGES: QueryType = { is: 'edge', types: null };

/** A list of edges is as good as a list of nodes for the functions that take a part of a list. */
const graph = { takesGraph: true } as const;
const aggregate = { isAggregate: true } as const;

const SCALARS: readonly QueryFunction[] = [
  ...declare(
    'coalesce',
    1,
    20,
    (args) => args.reduce<QueryType | undefined>((known, one) => known && joinTypes(known, one), { is: 'nothing' }),
    graph,
  ),
  ...declare('head last', 1, 1, itemOfFirst, graph),
  ...declare('size length', 1, 1, always(NUMBER), graph),
  ...declare('startNode endNode', 1, 1, always(NODES), graph),
  ...declare('type', 1, 1, always(PLAIN), graph),
  ...declare('toBoolean toBooleanOrNull', 1, 1, always(TRUTH)),
  ...declare('toInteger toIntegerOrNull toFloat toFloatOrNull', 1, 1, always(NUMBER)),
  ...declare('nullIf', 2, 2, sameAsFirst),
  ...declare('isEmpty', 1, 1, always(TRUTH), graph),
  ...declare('timestamp', 0, 0, always(NUMBER)),
];

const LISTS: readonly QueryFunction[] = [
  ...declare('nodes', 1, 1, always(listOfType(NODES)), graph),
  ...declare('relationships', 1, 1, always(listOfType(EDGES)), graph),
  ...declare('labels', 1, 1, always(listOfType(PLAIN)), graph),
  ...declare('properties', 1, 1, ([first]) => (first?.is === 'map' ? first : PLAIN), graph),
  ...declare('keys', 1, 1, always(listOfType(PLAIN))),
  ...declare('range', 2, 3, always(listOfType(NUMBER))),
  ...declare('reverse tail', 1, 1, sameAsFirst, graph),
  ...declare('toStringList toIntegerList toFloatList toBooleanList', 1, 1, always(listOfType(PLAIN))),
];

const TEXTS: readonly QueryFunction[] = [
  ...declare('toString toStringOrNull toLower toUpper lower upper trim lTrim rTrim', 1, 1, always(PLAIN)),
  ...declare('left right', 2, 2, always(PLAIN)),
  ...declare('substring', 2, 3, always(PLAIN)),
  ...declare('replace', 3, 3, always(PLAIN)),
  ...declare('split', 2, 2, always(listOfType(PLAIN))),
  ...declare('char_length', 1, 1, always(NUMBER)),
];

const MATHS: readonly QueryFunction[] = [
  ...declare(
    'abs ceil floor sign sqrt exp log log10 sin cos tan cot asin acos atan degrees radians',
    1,
    1,
    always(NUMBER),
  ),
  ...declare('round', 1, 3, always(NUMBER)),
  ...declare('atan2', 2, 2, always(NUMBER)),
  ...declare('e pi rand', 0, 0, always(NUMBER)),
  ...declare('isNaN', 1, 1, always(TRUTH)),
];

const TIMES: readonly QueryFunction[] = [
  ...declare('date datetime localdatetime time localtime', 0, 1, always(PLAIN)),
  ...declare('duration', 1, 1, always(PLAIN)),
  ...declare('duration.between duration.inDays duration.inMonths duration.inSeconds', 2, 2, always(PLAIN)),
  ...declare(
    'date.truncate datetime.truncate localdatetime.truncate time.truncate localtime.truncate',
    2,
    2,
    always(PLAIN),
  ),
  ...declare('datetime.fromEpoch', 2, 2, always(PLAIN)),
  ...declare('datetime.fromEpochMillis', 1, 1, always(PLAIN)),
];

const AGGREGATES: readonly QueryFunction[] = [
  ...declare('count', 1, 1, always(NUMBER), { ...aggregate, ...graph }),
  ...declare('collect', 1, 1, ([first]) => listOfType(first ?? PLAIN), { ...aggregate, ...graph }),
  ...declare('sum avg stDev stDevP', 1, 1, always(NUMBER), aggregate),
  ...declare('min max', 1, 1, sameAsFirst, aggregate),
  ...declare('percentileCont percentileDisc', 2, 2, always(NUMBER), aggregate),
];

const ALL = [...SCALARS, ...LISTS, ...TEXTS, ...MATHS, ...TIMES, ...AGGREGATES];

/** Functions by their names in small letters. */
export const QUERY_FUNCTIONS: ReadonlyMap<string, QueryFunction> = new Map(
  ALL.map((one) => [one.name.toLowerCase(), one]),
);

/** All names that can be called, including forms with a syntax of their own. */
export const FUNCTION_NAMES: readonly string[] = [
  ...ALL.map(({ name }) => name),
  ...['all', 'any', 'none', 'single', 'reduce'],
].sort();

import { isMembers } from '../api/members.ts';

/** Rules of contracts, which are stored as JSON Logic, as people write conditions. */

const BETWEEN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '==': 'is',
    '===': 'is',
    '!=': 'is not',
    '!==': 'is not',
    '<': '<',
    '<=': '≤',
    '>': '>',
    '>=': '≥',
    '+': '+',
    '-': '−',
    '*': '×',
    '/': '÷',
    in: 'is one of',
    and: 'and',
    or: 'or',
  }),
);

const JOINING: ReadonlySet<string> = new Set(['and', 'or']);

const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((item) => describe(item)).join(', ');
  if (typeof value === 'string') return `«${value}»`;
  return value === null ? 'nothing' : String(value);
};

/** Joined conditions stand in brackets when they are part of others. */
const inBrackets = (value: unknown): string => {
  const [operator = ''] = isMembers(value) ? Object.keys(value) : [];
  return JOINING.has(operator) ? `(${describe(value)})` : describe(value);
};

const describeCall = (operator: string, given: unknown): string => {
  const parts = Array.isArray(given) ? given : [given];
  const [first] = parts;
  if (operator === 'var') return String(first ?? '');
  if (operator === '!!') return `${inBrackets(first)} is set`;
  if (operator === '!') return `not ${inBrackets(first)}`;
  if (operator === 'length') return `number of ${inBrackets(first)}`;
  const between = BETWEEN.get(operator);
  if (between !== undefined && parts.length > 1) return parts.map(inBrackets).join(` ${between} `);
  return `${operator}(${parts.map(describe).join(', ')})`;
};

const describe = (value: unknown): string => {
  if (!isMembers(value)) return describeValue(value);
  return Object.entries(value)
    .map(([operator, given]) => describeCall(operator, given))
    .join(' and ');
};

/** The condition of a rule in words; the rule itself when it cannot be read. */
export const describeRule = (rule: string): string => {
  try {
    const parsed: unknown = JSON.parse(rule);
    return typeof parsed === 'string' ? describeRule(parsed) : describe(parsed);
  } catch {
    return rule;
  }
};

import type { Dialect } from '../../lineage/sql/dialect.ts';
import { isAloneOnLine, type SqlToken, type SqlTokens, tokenizeSql } from '../../lineage/sql/tokens.ts';

/** Splits a script into statements. A procedure is one statement, whatever semicolons its body has. */

const PROGRAM_KIND = /^(PROC|PROCEDURE|FUNCTION|TRIGGER|PACKAGE)$/;

/** After BEGIN, these words begin a transaction and no block. */
const TRANSACTION_WORD = /^(TRANSACTION|TRAN|WORK|ISOLATION|READ|DEFERRED|IMMEDIATE|EXCLUSIVE)$/;

/** After END, these words close what has not been counted. */
const INNER_END = /^(IF|LOOP|WHILE|REPEAT|FOR)$/;

/** How far the kind of what is created may stand behind CREATE. */
const HEAD_TOKENS = 8;

type Program = { readonly isProgram: boolean; readonly needsBody: boolean; readonly endsByGo: boolean };

const NO_PROGRAM: Program = { isProgram: false, needsBody: false, endsByGo: false };

const startsBlock = (list: readonly SqlToken[], at: number): boolean => {
  const next = list[at + 1];
  return list[at]?.word === 'BEGIN' && next !== undefined && next.text !== ';' && !TRANSACTION_WORD.test(next.word);
};

const programAt = (list: readonly SqlToken[], at: number, dialect: Dialect): Program => {
  const isOracle = dialect.name === 'oracle';
  const word = list[at]?.word;
  if (startsBlock(list, at) || (isOracle && word === 'DECLARE'))
    return { isProgram: true, needsBody: true, endsByGo: false };
  if (word !== 'CREATE' && word !== 'ALTER') return NO_PROGRAM;
  const head = list.slice(at, at + HEAD_TOKENS);
  const end = head.findIndex(({ text }) => text === '(' || text === ';' || text === '.');
  const kind = head.slice(0, end === -1 ? HEAD_TOKENS : end).some((token) => PROGRAM_KIND.test(token.word));
  return kind ? { isProgram: true, needsBody: isOracle, endsByGo: dialect.brackets } : NO_PROGRAM;
};

type SplitState = { first: number; last: number; program: Program; blocks: number; hadBlock: boolean };

const fresh = (): SplitState => ({ first: -1, last: -1, program: NO_PROGRAM, blocks: 0, hadBlock: false });

const countBlocks = (list: readonly SqlToken[], at: number, state: SplitState): void => {
  const word = list[at]?.word;
  if (startsBlock(list, at)) {
    state.blocks += 1;
    state.hadBlock = true;
  } else if (word === 'CASE' && list[at - 1]?.word !== 'END') state.blocks += 1;
  else if (word === 'END' && !INNER_END.test(list[at + 1]?.word ?? '')) state.blocks = Math.max(0, state.blocks - 1);
};

const endsAtSemicolon = ({ program, blocks, hadBlock }: SplitState): boolean => {
  if (!program.isProgram) return true;
  return !program.endsByGo && blocks === 0 && (hadBlock || !program.needsBody);
};

const isSeparatorLine = ({ text }: SqlTokens, token: SqlToken, dialect: Dialect): boolean => {
  const marks = (dialect.brackets && token.word === 'GO') || (dialect.name === 'oracle' && token.text === '/');
  return marks && isAloneOnLine(text, token);
};

/** Splits a script into the texts of its statements, without semicolons. */
export const splitScript = (script: string, dialect: Dialect): readonly string[] => {
  const tokens = tokenizeSql(script, dialect);
  const { list } = tokens;
  const found: string[] = [];
  let state = fresh();
  const close = (): void => {
    const [first, last] = [list[state.first], list[state.last]];
    if (first && last) found.push(script.slice(first.start, last.end));
    state = fresh();
  };
  for (const [at, token] of list.entries()) {
    if (
      isSeparatorLine(tokens, token, dialect) ||
      (token.text === ';' && token.kind === 'sign' && endsAtSemicolon(state))
    ) {
      close();
      continue;
    }
    if (state.first === -1) Object.assign(state, { first: at, program: programAt(list, at, dialect) });
    if (state.program.isProgram) countBlocks(list, at, state);
    state.last = at;
  }
  close();
  return found;
};

import { stat } from 'node:fs/promises';
import {
  type CommandDeclaration,
  type CommandInput,
  type FlagDeclaration,
  JSON_FLAG,
  SERVICE_FLAGS,
} from './command.ts';
import { checkProposal } from './contract-check.ts';
import { judgeContract } from './contract-judgement.ts';
import {
  type CheckVerdict,
  type ContractReport,
  REPORT_FORMATTERS,
  type ReportFormat,
  verdictOf,
} from './contract-report.ts';
import type { ServiceConnection } from './service-client.ts';
import { connectService } from './service-commands.ts';
import { UsageError } from './usage-error.ts';

/** The command that judges contracts, stored or proposed. */

/** The exit code that lets a CI pipeline distinguish an unknown result from a broken contract. */
export const UNCHECKED = 2;

export const EXIT_CODES: Readonly<Record<CheckVerdict, number>> = { ok: 0, breaks: 1, unknown: UNCHECKED };

const FORMATS = Object.keys(REPORT_FORMATTERS) as readonly ReportFormat[];

export const FORMAT_FLAG: FlagDeclaration = {
  name: 'format',
  kind: 'text',
  value: 'FORMAT',
  description: 'form of the report',
  fallback: 'text',
  choices: FORMATS,
};

/** Prints a report in the form that the flags of a command ask for. */
export const printReport = ({ output, has, text }: CommandInput, report: ContractReport): void => {
  const format = FORMATS.find((one) => one === (has('json') ? 'json' : text('format'))) ?? 'text';
  output.line(REPORT_FORMATTERS[format](report, output.width));
};

/** The type of assets whose columns files are usually about. */
const USUAL_TYPE = 'table';

/** A file is always about an asset, which no file names by itself. */
const refuseFile = async (name: string): Promise<void> => {
  const isFile = await stat(name).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isFile) throw new UsageError(`${name} is a file: name the asset that it is about by --entity FQN`);
};

const readReport = async (input: CommandInput, remote: () => Promise<ServiceConnection>): Promise<ContractReport> => {
  const [name = ''] = input.positionals;
  const [entity, type] = [input.text('entity'), input.text('type')];
  if (entity !== undefined) return checkProposal(await remote(), { file: name, entity, type: type ?? USUAL_TYPE });
  await refuseFile(name);
  return judgeContract(await remote(), name, type);
};

const contractCheck: CommandDeclaration = {
  name: 'contract check',
  summary: 'Judge the contract of an asset, or what a file would change, and name who is affected',
  operands: ['FQN|FILE'],
  flags: [
    { name: 'entity', kind: 'text', value: 'FQN', description: 'full name of the asset that the file is about' },
    {
      name: 'type',
      kind: 'text',
      value: 'TYPE',
      description: 'type of the asset; that of a file is a table by default',
    },
    FORMAT_FLAG,
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: [
    'tributary contract check shop_postgres.shop.sales.orders',
    'tributary contract check change.sql --entity shop_postgres.shop.sales.orders',
  ],
  failureCode: UNCHECKED,
  run: async (input) => {
    const report = await readReport(input, () => connectService(input));
    printReport(input, report);
    return EXIT_CODES[verdictOf(report)];
  },
};

export const CONTRACT_COMMANDS: readonly CommandDeclaration[] = [contractCheck];

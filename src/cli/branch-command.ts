import { checkBranch } from './branch-check.ts';
import { type CommandDeclaration, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { EXIT_CODES, FORMAT_FLAG, printReport, UNCHECKED } from './contract-command.ts';
import { verdictOf } from './contract-report.ts';
import { connectService } from './service-commands.ts';

/** The command that tells what a branch of a dbt project would break. */

const check: CommandDeclaration = {
  name: 'check',
  summary: 'Tell which contracts the dbt artifacts of a branch would break, and name who is affected',
  flags: [
    {
      name: 'dbt',
      kind: 'text',
      value: 'DIR',
      description: 'folder with the manifest.json and catalog.json of the branch, such as target',
      isRequired: true,
    },
    {
      name: 'service',
      kind: 'text',
      value: 'NAME',
      description: 'database service of its tables; by default, the one that has its databases',
    },
    FORMAT_FLAG,
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  examples: ['tributary check --dbt target', 'tributary check --dbt target --format markdown > review.md'],
  failureCode: UNCHECKED,
  run: async (input) => {
    const branch = { folder: input.text('dbt') ?? '', service: input.text('service') };
    const report = await checkBranch(await connectService(input), branch);
    printReport(input, report);
    return EXIT_CODES[verdictOf(report)];
  },
};

export const BRANCH_COMMANDS: readonly CommandDeclaration[] = [check];

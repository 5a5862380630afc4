/** Prompts that lead an assistant through a task with the tools. */

type PromptArgument = { readonly name: string; readonly description: string; readonly required: boolean };

export type Prompt = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly write: (values: Readonly<Record<string, string>>) => string;
};

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'review_migration',
    title: 'Review this migration',
    description: 'Reviews a migration: what it breaks, whom it concerns and what to do first.',
    arguments: [
      { name: 'migration', description: 'Statements of the migration', required: true },
      { name: 'fqn', description: 'Fully qualified name of the changed table', required: false },
    ],
    write: ({ migration = '', fqn }) =>
      [
        `Review this migration${fqn ? ` of ${fqn}` : ''}:`,
        `\`\`\`sql\n${migration}\n\`\`\``,
        'Work in these steps, and claim nothing that the answers do not say:',
        '1. Find each changed table with `search`, unless its full name is given.',
        '2. Call `check_change` for each table with its statements, and name the broken contracts and clauses.',
        '3. Call `impact` for each column that is dropped, renamed or retyped. Tell certain effects from possible ones.',
        '4. Call `owners` for the tables that break, and say who must agree.',
        '5. End with a verdict, the order of safe steps, and what the answers left out.',
      ].join('\n'),
  },
  {
    name: 'why_is_this_number_wrong',
    title: 'Why is this number wrong?',
    description: 'Looks for the cause of a wrong number upstream of the asset that shows it.',
    arguments: [
      { name: 'fqn', description: 'Fully qualified name of the asset that shows the number', required: true },
      { name: 'column', description: 'Column or chart of the number', required: false },
      { name: 'symptom', description: 'What is wrong, and since when', required: false },
    ],
    write: ({ fqn = '', column, symptom }) =>
      [
        `A number in ${fqn}${column ? ` (${column})` : ''} seems wrong.${symptom ? ` ${symptom}` : ''} Find out why.`,
        'Work in these steps, and tell what is known from what is guessed:',
        `1. Call \`get_asset\` to read what the number means${column ? ', and `trail` to see what it is computed from' : ''}.`,
        `2. Call \`root_cause\`${column ? ' with the column' : ''} for what fails around it, and for what happened upstream before.`,
        '3. Call `changes` for the suspects since before the number was wrong.',
        '4. Name the most probable cause with its evidence, what speaks against it, and the `owners` to ask.',
      ].join('\n'),
  },
];

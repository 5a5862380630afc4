import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { openWith, post } from './fixture.ts';
import { rankTools, type ToolText } from './tool-ranking.ts';

/** Shows that the texts of the tools lead to the right one: what people ask has more in common with it than with others. */

const test = suite('mcp: choice of tools');

type Choice = readonly [prompt: string, tool: string];

const CHOICES: readonly Choice[] = [
  ['Find dashboards and glossary terms about refunds', 'search'],
  ['Which team is responsible for the customers table?', 'owners'],
  ['What feeds the orders table, and what is built on it?', 'lineage'],
  ['Where does the column net_eur of the revenue table originally come from?', 'trail'],
  ['What is the shortest way of data from the shop orders to the management dashboard?', 'paths'],
  ['Which dashboards break when the column total of orders is dropped?', 'impact'],
  ['Does this migration violate a contract: ALTER TABLE orders DROP COLUMN total', 'check_change'],
  ['What would happen if we removed two edges and a table together?', 'what_if'],
  ['What has changed in the warehouse since Monday?', 'changes'],
  ['The revenue on this dashboard is wrong since yesterday, what is the cause?', 'root_cause'],
  ['In which dashboards does our personal data end up?', 'label_flows'],
  ['Mark the column email as PII.Sensitive', 'tag'],
];

/** How much further ahead of the next tool the right one must be: a new word elsewhere should not decide. */
const MARGIN = 1.1;

type ListedTool = Omit<ToolText, 'parameters'> & {
  readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly description?: string }>> };
};

let tools: readonly ToolText[];

test.before(async () => {
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { json } = await post(openWith([]).app, asked, 'ana', { 'x-tributary-mcp-write': 'on' });
  tools = (json.result.tools as readonly ListedTool[]).map(({ name, title, description, inputSchema }) => ({
    name,
    title,
    description,
    parameters: Object.entries(inputSchema.properties)
      .map(([argument, schema]) => `${argument} ${schema.description ?? ''}`)
      .join(' '),
  }));
});

/** Says what is wrong with a choice, or nothing. */
const judge = (offered: readonly ToolText[], [prompt, wanted]: Choice): string | undefined => {
  const [first, second] = rankTools(offered, prompt);
  if (first === undefined || second === undefined) throw new Error('There are no tools to choose from');
  const shown = [first, second].map(({ name, score }) => `${name} ${score.toFixed(2)}`).join(', ');
  return first.name === wanted && first.score >= MARGIN * second.score ? undefined : `«${prompt}»: ${shown}`;
};

/** The tools with the descriptions of two of them exchanged. */
const exchange = (one: string, other: string): readonly ToolText[] => {
  const descriptionOf = (name: string): string => tools.find((tool) => tool.name === name)?.description ?? '';
  const swapped = new Map([
    [one, descriptionOf(other)],
    [other, descriptionOf(one)],
  ]);
  return tools.map((tool) => ({ ...tool, description: swapped.get(tool.name) ?? tool.description }));
};

for (const choice of CHOICES) {
  test(`${choice[1]} is chosen for: ${choice[0]}`, () => {
    assert.is(judge(tools, choice), undefined);
  });
}

test('each prompt is of another tool', () => {
  assert.is(new Set(CHOICES.map(([, tool]) => tool)).size, 12);
});

test('an exchanged description leads to another tool', () => {
  const names = CHOICES.map(([, tool]) => tool);
  const missed = names.flatMap((one, at) =>
    names.slice(at + 1).flatMap((other) => {
      const offered = exchange(one, other);
      return CHOICES.some((choice) => judge(offered, choice) !== undefined) ? [] : [`${one} and ${other}`];
    }),
  );
  assert.equal(missed, []);
});

test.run();

import * as assert from 'uvu/assert';
import { nameGroup, summarizeGroups } from '../../src/explorer/lineage/impact-grouping.ts';
import { suite } from '../support/suite.ts';

/** Shows how groups of affected assets are put into words. */

const test = suite('explorer: groups of an impact');

const group = (key: string | null, ...ids: readonly string[]) => ({ key, count: ids.length, ids: [...ids] });

test('assets count once, and those without an owner are no owner', () => {
  const groups = [group('mei', 'a', 'b'), group('tom', 'b'), group(null, 'c')];
  assert.is(summarizeGroups(groups, 'owner'), '3 assets of 2 owners');
  assert.is(summarizeGroups([group('shop', 'a')], 'service'), '1 asset of 1 service');
});

test('groups have the name of what they are grouped by', () => {
  assert.is(nameGroup(group(null), 'domain'), 'No domain');
  assert.is(nameGroup(group('mei'), 'owner'), 'mei');
  assert.is.not(nameGroup(group('dashboardDataModel'), 'type'), 'dashboardDataModel');
});

test.run();

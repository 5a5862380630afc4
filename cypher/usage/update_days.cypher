// Counts the usage of records per day. Reports on one record and day are applied in order of arrival, and the record's
// ancestors grow by the difference. A day older than all retained days is not counted. The caller locks the records;
// this statement locks the ancestors before it reads their counts.
UNWIND $rows AS row
WITH row ORDER BY row.at
WITH row.id AS id, row.date AS date, collect(row) AS reports
MATCH (n:Entity {id: id})
WHERE COUNT { (n)-[:HAS_USAGE]->() } < reports[0].kept
  OR EXISTS { (n)-[:HAS_USAGE]->(old:UsageDay) WHERE old.date <= date }
MERGE (day:UsageDay {key: id + ' ' + date})
  ON CREATE SET day.ownerId = id, day.entityType = n.entityType, day.date = date, day.count = 0
MERGE (n)-[:HAS_USAGE]->(day)
WITH n, day, reports, day.count AS before, reduce(
  count = day.count, report IN reports | CASE WHEN report.adds THEN count + report.count ELSE report.count END
) AS after
SET day.count = after, n.usedOn = CASE WHEN n.usedOn > day.date THEN n.usedOn ELSE day.date END
WITH day, reports, after - before AS growth
CALL (day, reports, growth) {
  UNWIND reports[0].above AS aboveId
  MATCH (above:Entity {id: aboveId})
  WHERE growth <> 0
  SET above.revision = above.revision + 1
  WITH above
  MERGE (sum:UsageDay {key: above.id + ' ' + day.date})
    ON CREATE SET sum.ownerId = above.id, sum.entityType = above.entityType, sum.date = day.date, sum.count = 0
  MERGE (above)-[:HAS_USAGE]->(sum)
  SET sum.count = CASE WHEN sum.count + growth < 0 THEN 0 ELSE sum.count + growth END,
    above.usedOn = CASE WHEN above.usedOn > day.date THEN above.usedOn ELSE day.date END
}
UNWIND reports AS report
RETURN report.at AS at

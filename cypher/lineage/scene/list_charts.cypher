// Lists the charts that some dashboards show, in the order of their names.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:SHOWS]->(chart:Entity)
WHERE chart.entityType = 'chart' AND NOT chart.deleted
WITH id, chart
ORDER BY chart.name
RETURN id, chart{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .chartType} AS chart

// Reads what the whole graph needs of some living records: the records they feed and the sources that say so, their tier,
// their use in the month that ends with the day they were last used, and what contains them.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE NOT n.deleted
RETURN collect([
  n.id,
  n.entityType,
  n.fullyQualifiedName,
  n.revision + coalesce(n.edgeRevision, 0),
  COLLECT {
    MATCH (n)-[edge:FEEDS]->(to:Entity)
    RETURN [to.id] + COLLECT {
      MATCH (said:Assertion {edgeId: edge.id})
      WHERE said.until IS NULL
      RETURN DISTINCT said.source
    }
  },
  head([(n)-[:TAGGED]->(tag:Entity) WHERE tag.fullyQualifiedName STARTS WITH 'Tier.' AND NOT tag.deleted | tag.fullyQualifiedName]),
  n.usedOn,
  CASE WHEN n.usedOn IS NULL THEN 0 ELSE reduce(
    uses = 0, day IN [(n)-[:HAS_USAGE]->(day:UsageDay)
      WHERE day.date >= toString(date(n.usedOn) - duration({days: 29})) AND day.date <= n.usedOn | day.count] | uses + day
  ) END,
  head([(n)<-[:CONTAINS]-(parent:Entity) | parent.id])
]) AS assets

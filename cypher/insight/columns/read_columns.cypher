// Reads columns, and records that represent columns, with the records that own them, their tags below some names and,
// on request, their glossary terms. Columns of deleted records are left out.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (holder:Entity {id: split(key, ':')[0]})
WHERE column IS NOT NULL AND NOT holder.deleted
OPTIONAL MATCH (part:Entity {id: key})
WHERE column IS NULL AND NOT part.deleted
WITH key, coalesce(column, part) AS node, holder, part
WITH key, node, coalesce(holder, CASE WHEN part IS NULL THEN null ELSE head(COLLECT {
  // Several records may show what stands for a column: those count whose edge it is.
  MATCH (shower:Entity)-[:SHOWS]->(part)
  WHERE NOT shower.deleted AND EXISTS {
    MATCH (shower)-[edge:FEEDS]-(:Entity)
    WHERE edge.id IN $edgeIds
  }
  RETURN shower
  ORDER BY shower.fullyQualifiedName
  LIMIT 1
}) END) AS owner
WHERE owner IS NOT NULL
WITH owner, node, key, COLLECT {
  MATCH (node)-[label:TAGGED]->(t:Entity)
  WHERE NOT t.deleted AND CASE t.entityType
    WHEN 'tag' THEN any(name IN $tagNames WHERE t.fullyQualifiedName = name OR t.fullyQualifiedName STARTS WITH name + '.')
    ELSE $withTerms
  END
  RETURN label{.*, tagId: t.id, tagFQN: t.fullyQualifiedName, name: t.name, displayName: t.displayName, description: t.description, styleJson: t.styleJson, entityType: t.entityType}
} AS labels
// The owner comes once with all its columns, because it would be most of the transferred data.
RETURN
  owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS owner,
  collect([key, node.name, CASE WHEN node.key IS NULL THEN null ELSE node.fullyQualifiedName END, labels]) AS columns

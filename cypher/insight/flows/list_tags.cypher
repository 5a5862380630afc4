// Lists the living tags that a name means: a tag, or all of a classification, with those below them.
MATCH (tag:Entity)
USING INDEX SEEK tag:Entity(entityType, fullyQualifiedName)
WHERE tag.entityType = 'tag' AND tag.fullyQualifiedName STARTS WITH $fqn
  AND substring(tag.fullyQualifiedName, size($fqn), 1) IN ['', '.']
  AND NOT tag.deleted
WITH tag
LIMIT toInteger($limit)
RETURN tag{.id, .entityType, .fullyQualifiedName} AS tag

// Lists some intents that no open job carries out.
MATCH (intent:Intent)-[:CONCERNS]->(root:Entity)
WHERE intent.id > ''
  AND NOT EXISTS { MATCH (job:Job {jobId: intent.id}) WHERE job.open = true }
WITH intent, root
LIMIT toInteger($limit)
RETURN intent{.*} AS intent, root.entityType AS rootType, root.fullyQualifiedName AS rootFqn

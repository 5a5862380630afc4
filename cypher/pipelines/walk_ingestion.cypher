// Matches the ingestion pipelines of services and test suites.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:CONTAINS]->(pipeline:IngestionPipeline)
RETURN id, pipeline{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref

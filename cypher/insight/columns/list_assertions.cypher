// Lists what sources presently state of the columns of some edges.
UNWIND $edgeIds AS edgeId
MATCH (said:Assertion {edgeId: edgeId})
WHERE said.until IS NULL
RETURN edgeId, said.source AS source, coalesce(said.seenAt, said.updatedAt) AS seenAt, said.contentJson AS contentJson

// Saved queries whose values are metrics.
MATCH (one:SavedQuery)
WHERE one.name > '' AND one.asMetric
RETURN one{.*} AS node

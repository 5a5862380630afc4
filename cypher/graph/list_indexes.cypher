// Lists every index with its definition; those that stand behind a constraint name it.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, owningConstraint, state, populationPercent
RETURN name, type, entityType, labelsOrTypes, properties, options, owningConstraint, state, populationPercent

// Results that contracts have forgotten are looked for by the name of their series.
CREATE CONSTRAINT SpentSeries_id IF NOT EXISTS FOR (n:SpentSeries) REQUIRE n.id IS UNIQUE

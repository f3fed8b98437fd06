module Row (Row(..), parseRow) where

data Row = Row
  { station  :: String
  , day      :: !Int
  , tenths   :: !Int   -- ^ temperature in tenths of a degree
  , rainfall :: !Int
  }

splitOn :: Char -> String -> [String]
splitOn c s = case break (== c) s of
  (a, _ : rest) -> a : splitOn c rest
  (a, [])       -> [a]

-- | @station;day;temperature;rainfall@
parseRow :: String -> Either String Row
parseRow l = case splitOn ';' l of
  [name, d, t, r] -> Right (Row name (read d) (read t) (read r))
  _               -> Left ("bad row: " ++ l)

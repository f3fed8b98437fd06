module Journal where

data Level = Info | Warning | Failure
  deriving (Eq, Ord, Show, Enum, Bounded)

data Entry = Entry
  { minute  :: !Int
  , level   :: !Level
  , machine :: String
  , message :: String
  }

clockTime :: Int -> String
clockTime m = two (m `div` 60 `mod` 24) ++ ":" ++ two (m `mod` 60)
  where two k = drop 1 (show (100 + k))

formatEntry :: Entry -> String
formatEntry e =
  clockTime (minute e) ++ " " ++ show (level e) ++ " " ++ machine e ++ " " ++ message e ++ "\n"

levelNames :: [(String, Level)]
levelNames = [(show l, l) | l <- [minBound .. maxBound]]

parseEntry :: String -> Maybe (Level, String)
parseEntry line = case words line of
  _ : l : m : _ -> (\x -> (x, m)) <$> lookup l levelNames
  _             -> Nothing

writeEntry :: FilePath -> Entry -> IO ()
writeEntry path e = appendFile path (formatEntry e)

writeJournal :: FilePath -> [Entry] -> IO ()
writeJournal path entries = mapM_ (writeEntry path) entries

module Journal (Journal, Level(..), withJournal, note) where

import Control.Monad (when)

data Level = Debug | Info | Alarm
  deriving (Eq, Ord, Show)

data Journal = Journal
  { journalPath :: FilePath
  , threshold   :: Level
  }

withJournal :: FilePath -> Level -> (Journal -> IO a) -> IO a
withJournal path level body = do
  writeFile path ""
  body (Journal path level)

note :: Journal -> Level -> String -> IO ()
note journal level msg =
  when (level >= threshold journal) $
    appendFile (journalPath journal) (tag level ++ msg ++ "\n")

tag :: Level -> String
tag Debug = "[debug] "
tag Info  = "[info ] "
tag Alarm = "[ALARM] "

module Journal (Journal, Level(..), withJournal, note) where

import Control.Monad (when)
import System.IO

data Level = Debug | Info | Alarm
  deriving (Eq, Ord, Show)

data Journal = Journal
  { journalHandle :: Handle
  , threshold     :: Level
  }

withJournal :: FilePath -> Level -> (Journal -> IO a) -> IO a
withJournal path level body =
  withFile path WriteMode $ \h ->
    body (Journal h level)

note :: Journal -> Level -> String -> IO ()
note journal level msg =
  when (level >= threshold journal) $
    hPutStr (journalHandle journal) (tag level ++ msg ++ "\n")

tag :: Level -> String
tag Debug = "[debug] "
tag Info  = "[info ] "
tag Alarm = "[ALARM] "

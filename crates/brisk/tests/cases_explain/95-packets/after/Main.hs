module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Data.Maybe (mapMaybe)
import System.Environment (getArgs)

import Packet
import Sessions

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  let sessions = foldl' record noSessions (mapMaybe parsePacket (capture n))
  putStrLn (show (Map.size sessions) ++ " sessions")
  mapM_ line (busiest 10 sessions)
  where
    line (name, s) =
      putStrLn (B.unpack name ++ " " ++ show (statPackets s) ++ " " ++ show (statSum s))

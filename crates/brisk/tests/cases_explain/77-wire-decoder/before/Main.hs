module Main (main) where

import System.Environment (getArgs)

import Decoder
import Message

sample :: Int -> [Message]
sample n = [Heartbeat 17, Track 4 (map pt [1 .. n]), Track 5 (map pt [1 .. n `div` 10]), Heartbeat 18]
  where pt i = Point (i * 37 `mod` 65536) (i * i `mod` 65536) (i `mod` 256)

describe :: Message -> String
describe (Heartbeat t) = "heartbeat at " ++ show t
describe (Track t ps)  =
  "track " ++ show t ++ ": " ++ show (length ps) ++ " points, extent "
    ++ show (maximum (map px ps)) ++ "x" ++ show (maximum (map py ps))
    ++ ", labels " ++ show (sum (map label ps))

main :: IO ()
main = do
  args <- getArgs
  let n = case args of { [a] -> read a; _ -> 6000 }
  mapM_ (putStrLn . report . runDecoder message . encodeMessage) (sample n)
  where
    report (Left err)         = "error: " ++ err
    report (Right (m, taken)) = describe m ++ " (" ++ show taken ++ " bytes)"

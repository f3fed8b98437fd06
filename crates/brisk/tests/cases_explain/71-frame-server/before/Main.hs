module Main (main) where

import Control.Monad (forM, forM_)
import qualified Data.ByteString.Char8 as BC
import System.Environment (getArgs)

import Connection
import Frame

-- A broadcast server: every tick each connected client gets a ping, and some
-- of them get a line of chat.
main :: IO ()
main = do
  args <- getArgs
  let total   = case args of
        (a : _) -> read a
        []      -> 1000000
      clients = 1000 :: Int
      ticks   = total `div` clients
  conns <- forM [1 .. clients] (openConnection ServerSide)
  forM_ [1 .. ticks] $ \tick ->
    forM_ (zip [0 ..] conns) $ \(i, conn) ->
      sendFrame conn (payloadFor tick i)
  stats <- mapM connectionStats conns
  putStrLn ("frames: " ++ show (sum (map statFrames stats)))
  putStrLn ("bytes:  " ++ show (sum (map statBytes stats)))
  putStrLn ("crc:    " ++ show (foldr (\s acc -> (acc * 31 + statCrc s) `mod` 1000003) 7 stats))
  putStrLn ("next mask of client 1: " ++ show (statNextMask (head stats)))

payloadFor :: Int -> Int -> Frame
payloadFor tick i
  | (tick + i) `mod` 7 == 0 = Frame TextFrame (BC.pack ("hello " ++ show tick))
  | otherwise               = Frame Ping (BC.pack "p")
